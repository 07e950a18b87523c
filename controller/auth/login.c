#include "login.h"

#include "incluster.h"
#include "kubeconfig.h"

static int load(const char *kubeconfig, const char *context, struct credentials *ret, struct err *err)
{
	if (!kubeconfig_is_named(kubeconfig) && !context && incluster_is_here())
		return incluster_load(INCLUSTER_DIR, ret, err);
	return kubeconfig_load(kubeconfig, context, ret, err);
}

int login(const char *kubeconfig, const char *context, struct credentials *ret, struct err *err)
{
	struct credentials c = { 0 };

	if (load(kubeconfig, context, &c, err) < 0)
		return -1;
	if (credentials_check(&c, err) < 0 || credentials_wait(&c, err) < 0) {
		credentials_release(&c);
		return -1;
	}
	*ret = c;
	return 0;
}
