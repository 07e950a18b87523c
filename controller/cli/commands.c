#include "commands.h"

#include <string.h>

const struct command_words command_words[COMMANDS] = {
	[COMMAND_GET] = {
		"get", "[CLUSTER]", 0, 1, "show a Cluster as a tree, or list them",
		"Without a name: one line for each Cluster. With a name: the Cluster as a tree\n"
		"of its plan, its roles, their members, and what each member has still to be\n"
		"told, first in first out.\n"
		"\n"
		"On a terminal, what does not fit is left out column by column: of the list\n"
		"first AGE, then UPGRADE, APP, PENDING and READY; of the tree first UPGRADE,\n"
		"then SINCE and DETAIL. Names that still do not fit are shortened in the\n"
		"middle. -o wide leaves out and shortens nothing. Branches are drawn in ASCII,\n"
		"unless the terminal is UTF-8.\n",
		"  @ get                 # the Clusters of this namespace\n"
		"  @ get -A -o wide      # of all namespaces, with plan and message\n"
		"  @ get shop            # where an upgrade stands, what holds it up\n"
		"  @ get shop -w         # again after each change\n"
		"  @ get shop -o yaml    # the object itself\n",
	},
	[COMMAND_QUEUE] = {
		"queue", "[CLUSTER [MEMBER]]", 0, 2, "show what members have still to be told",
		"One line for each notification, in the order in which its member will hear it.\n"
		"STATE is one of\n"
		"  next     it is the head: delivered as soon as the member can hear it\n"
		"  waits    behind the head\n"
		"  failed   the handler answered with an error; it is tried again at NEXT\n"
		"  held     the member is in config error: retry it, or skip the notification\n"
		"\n"
		"On a terminal, what does not fit is left out column by column: first NEXT,\n"
		"then EXIT, TRIES, STATE and ERROR. -o name prints MEMBER/ID, as skip takes it.\n",
		"  @ queue                       # of every Cluster in this namespace\n"
		"  @ queue shop                  # of one\n"
		"  @ queue shop shop-db-1a2b3-0  # of one member\n"
		"  @ queue shop -o json          # with exit codes, errors and times\n",
	},
	[COMMAND_RETRY] = {
		"retry", "CLUSTER MEMBER", 2, 2, "let a member in config error try again",
		"Asks the operator to forget the failures of MEMBER's handler and to try the\n"
		"head of its queue again. Mend the reason first: the same handler would fail\n"
		"again. MEMBER is the pod's name, as in \"@ get CLUSTER\".\n"
		"\n"
		"Sets the annotation rolecall.dev/retry, which the operator removes when it has\n"
		"acted.\n",
		"  @ retry shop shop-db-1a2b3-0\n"
		"  @ retry shop shop-db-1a2b3-0 --wait    # until the operator has acted\n",
	},
	[COMMAND_SKIP] = {
		"skip", "CLUSTER MEMBER ID", 2, 3, "give up one notification of a member",
		"Asks the operator to take the notification ID out of MEMBER's queue without\n"
		"delivering it. The plan gets a warning that says so. Without ID the queue of\n"
		"MEMBER is shown. MEMBER/ID as one word will do, too.\n"
		"\n"
		"The notification configure cannot be skipped: without its set-up a member can\n"
		"digest nothing else.\n"
		"\n"
		"Sets the annotation rolecall.dev/skip-notify, which the operator removes when\n"
		"it has acted.\n",
		"  @ queue shop                           # which id?\n"
		"  @ skip shop shop-db-1a2b3-0 12\n"
		"  @ skip shop shop-db-1a2b3-0/12 --wait\n",
	},
	[COMMAND_GIVE_UP] = {
		"give-up", "CLUSTER MEMBER", 2, 2, "go on without a member",
		"Asks the operator to count MEMBER as done in what is going on, and to withdraw\n"
		"its queue, so that an upgrade can end although the member will not come back.\n"
		"The Cluster stays Degraded and names the member until it is back; it is then\n"
		"configured as new.\n"
		"\n"
		"Sets the annotation rolecall.dev/give-up, which the operator removes when it\n"
		"has acted.\n",
		"  @ give-up shop shop-db-1a2b3-0 --wait\n",
	},
	[COMMAND_PAUSE] = {
		"pause", "CLUSTER", 1, 1, "stop changing a Cluster",
		"Until it is resumed the operator changes nothing of the Cluster: no member is\n"
		"made or replaced, none is told anything. Status goes on, and so does deletion.\n"
		"With --upgrade only the replacement of members in an upgrade stops, and\n"
		"notifications go on.\n"
		"\n"
		"Sets the annotation rolecall.dev/paused, or spec.upgrade.paused.\n",
		"  @ pause shop\n"
		"  @ pause shop --upgrade        # replace no further member\n",
	},
	[COMMAND_RESUME] = {
		"resume", "CLUSTER", 1, 1, "end a pause",
		"Takes back what pause did: the annotation rolecall.dev/paused, or with\n"
		"--upgrade spec.upgrade.paused.\n",
		"  @ resume shop\n"
		"  @ resume shop --upgrade\n",
	},
	[COMMAND_ROLLBACK] = {
		"rollback", "CLUSTER", 1, 1, "turn an upgrade round",
		"Sets spec.app back to the App that the running upgrade leaves. Possible at\n"
		"every moment until the upgrade is over, whatever is queued, failed or down. A\n"
		"rollback cannot itself be turned round.\n",
		"  @ rollback shop\n"
		"  @ get shop -w                 # follow it\n",
	},
	[COMMAND_RUN] = {
		"run", "", 0, 0, "be the operator: look after Clusters and Apps",
		"Looks after the Clusters and Apps (rolecall.dev) of a Kubernetes cluster until\n"
		"it is stopped. The kinds must be installed before:\n"
		"\n"
		"  kubectl apply -k manifests/install\n"
		"\n"
		"The log goes to standard error, one JSON object a line. Without a kubeconfig\n"
		"that is named, it uses the service account of its pod, or ~/.kube/config, the\n"
		"first that there is. Without --namespace it looks after all of them.\n"
		"\n"
		"signals:\n"
		"  SIGTERM, SIGINT        finish the writes under way and end; twice: end at once\n"
		"  SIGUSR1                write statistics to the log\n"
		"\n"
		"It exits with 0 when it was stopped by a signal and every write was finished.\n",
		"  @ run --kubeconfig ~/.kube/config\n"
		"  @ run --namespace shops --log-level debug\n",
	},
	[COMMAND_VERSION] = {
		"version", "", 0, 0, "print the versions of this program and the server",
		"With --client only that of this program, without asking any server.\n",
		"  @ version\n"
		"  @ version --client -o json\n",
	},
	[COMMAND_COMPLETION] = {
		"completion", "bash|zsh|fish", 1, 1, "print a script that completes command lines",
		"The script asks this program for what can stand at the cursor; names of\n"
		"Clusters and members come from the API server.\n"
		"\n"
		"For \"kubectl rolecall\" no script is needed beside kubectl's own: a link to this\n"
		"program by the name kubectl_complete-rolecall, in the PATH, is enough.\n",
		"  source <(rolecall completion bash)    # in ~/.bashrc\n"
		"  rolecall completion zsh >\"${fpath[1]}/_rolecall\"\n"
		"  rolecall completion fish >~/.config/fish/completions/rolecall.fish\n",
	},
	[COMMAND_HELP] = {
		"help", "[COMMAND]", 0, 1, "print this, or the help of a command",
		"Prints what commands there are, or the help of one.\n",
		"  @ help skip\n",
	},
};

enum command command_find(const char *word)
{
	enum command c = 0;

	while (c < COMMANDS && strcmp(word, command_words[c].name) != 0)
		c++;
	return c;
}
