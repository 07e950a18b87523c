#!/bin/sh
# The main process of a test member: writes down that it started, and ends at once on SIGTERM.
read -r uptime _ </proc/uptime
read -r image </version
printf '%s\tstart\t-\t-\t%s\t\n' "$uptime" "$image" >>"/members/$(hostname).log"
trap 'exit 0' TERM
while :; do
	sleep 3600 &
	wait
done
