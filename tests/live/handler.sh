#!/bin/sh
# The handler of the test members: writes down its call, then does what the test has asked this pod to do.
#
#   /members/POD.log      a line for each call: seconds since boot, event, notification id, attempt, image, arguments;
#                         separated by tabs. It outlives the pod, for /members is a folder of the node.
#   /members/POD.found    a line for each call: event, notification id, attempt, generation, path and SHA-256 of the configmeta
#                         that it found; the file itself is kept as /members/POD.GENERATION.json
#   /members/POD.EVENT    "EXIT_CODE SECONDS": ends with this code after so many seconds; POD may be "all"
pod=$(hostname) event=${1#--} exit_code=0 seconds=0
shift

read -r uptime _ </proc/uptime
read -r image </version
line=$(printf '%s\t' "$uptime" "$event" "${ROLECALL_NOTIFY_ID:--}" "${ROLECALL_ATTEMPT:--}" "$image" "$@")
echo "$line" >>"/members/$pod.log"

config=${ROLECALL_CONFIGMETA:-none} generation=${ROLECALL_GENERATION:-0}
sum=$(sha256sum "$config")
printf '%s\t' "$event" "${ROLECALL_NOTIFY_ID:--}" "${ROLECALL_ATTEMPT:--}" "$generation" "$config" "${sum%% *}" >>"/members/$pod.found"
echo >>"/members/$pod.found"
[ "$config" = none ] || cp "$config" "/members/$pod.$generation.json"

for steer in "/members/all.$event" "/members/$pod.$event"; do
	[ ! -f "$steer" ] || read -r exit_code seconds <"$steer"
done
sleep "$seconds"
[ "$exit_code" = 0 ] || echo "$event was asked to end with $exit_code"
exit "$exit_code"
