#include "easy.h"

#include "controller/mem.h"
#include "crd/base/die.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

CURL *easy_new(void)
{
	CURL *easy = curl_easy_init();

	if (!easy)
		die("libcurl", "out of memory for a handle", 1);
	return easy;
}

CURLM *easy_new_multi(void)
{
	CURLM *multi = curl_multi_init();

	if (!multi)
		die("libcurl", "out of memory for a multi handle", 1);
	return multi;
}

void easy_add(CURLM *multi, CURL *easy)
{
	CURLMcode code = curl_multi_add_handle(multi, easy);

	if (code != CURLM_OK)
		die("libcurl", curl_multi_strerror(code), 0);
}

struct curl_slist *easy_append(struct curl_slist *list, const char *text)
{
	struct curl_slist *longer = curl_slist_append(list, text);

	if (!longer)
		die("libcurl", "out of memory for a list", strlen(text));
	return longer;
}

void easy_check(CURLcode code)
{
	if (code != CURLE_OK)
		die("libcurl", curl_easy_strerror(code), 0);
}

static void clean_up_url(CURLU **url)
{
	curl_url_cleanup(*url);
}

static char *url_part(CURLU *url, CURLUPart part, unsigned flags)
{
	char *text = NULL;

	if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
		return NULL;
	char *copy = mem_strdup(text);
	curl_free(text);
	return copy;
}

/* curl has no option for another name in TLS: the URL gets it, and the connection goes to the real host. */
static int use_tls_name(struct endpoint *ep, CURLU *url, struct err *err)
{
	const char *name = ep->credentials->tls_server_name;
	cleanup_strbuf struct strbuf to = { 0 };

	if (!name)
		return 0;
	strbuf_addf(&to, "::%s", ep->host);
	ep->connect_to = easy_append(NULL, to.data);
	if (curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK)
		return 0;
	return err_set(err, ERR_INVALID, "tls-server-name \"%.100s\" is no name of a host", name);
}

static char *host_and_port(CURLU *url)
{
	cleanup_strbuf struct strbuf text = { 0 };
	char *host = url_part(url, CURLUPART_HOST, 0), *port = url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);

	strbuf_addf(&text, "%s:%s", host ? host : "", port ? port : "");
	free(host);
	free(port);
	return strbuf_take(&text);
}

int endpoint_init(struct endpoint *ep, struct credentials *credentials, struct err *err)
{
	__attribute__((cleanup(clean_up_url))) CURLU *url = curl_url();

	*ep = (struct endpoint){ .credentials = credentials };
	/* The address is in messages; a password in it would be too. */
	if (curl_url_set(url, CURLUPART_URL, credentials->server, CURLU_DISALLOW_USER) != CURLUE_OK)
		return err_set(err, ERR_INVALID, "the server's address (%s) is no URL, or has a user in it",
		               credentials->who);
	curl_url_set(url, CURLUPART_QUERY, NULL, 0);
	curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
	ep->host = host_and_port(url);
	ep->prefix = url_part(url, CURLUPART_PATH, 0);
	if (!ep->prefix || strcmp(ep->prefix, "/") == 0)
		mem_replace(&ep->prefix, "");
	if (use_tls_name(ep, url, err) < 0) {
		endpoint_release(ep);
		return -1;
	}
	ep->base = url_part(url, CURLUPART_URL, 0);
	size_t len = strlen(ep->base);
	if (len > 0 && ep->base[len - 1] == '/')
		ep->base[len - 1] = '\0';
	return 0;
}

void endpoint_release(struct endpoint *ep)
{
	free(ep->base);
	free(ep->host);
	free(ep->prefix);
	curl_slist_free_all(ep->connect_to);
	*ep = (struct endpoint){ 0 };
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	unsigned timeout_ms = EASY_PEER_TIMEOUT_MS;

	(void)ctx, (void)purpose;
	/* Where the system does not know the option, keepalive alone must do. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
	return CURL_SOCKOPT_OK;
}

static void set_socket(CURL *easy)
{
	EASY_SET(easy, CURLOPT_NOSIGNAL, 1L);
	EASY_SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)EASY_CONNECT_TIMEOUT_MS);
	EASY_SET(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	EASY_SET(easy, CURLOPT_TCP_KEEPIDLE, (long)EASY_KEEPALIVE_S);
	EASY_SET(easy, CURLOPT_TCP_KEEPINTVL, (long)EASY_KEEPALIVE_S / 3);
	EASY_SET(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
}

/*
 * An https:// proxy is trusted by the cluster's CA, as in client-go, or by the system's. Where the kubeconfig names a
 * proxy, $NO_PROXY does not count.
 */
static void set_proxy(CURL *easy, const struct credentials *c)
{
	if (!c->proxy_url)
		return;
	EASY_SET(easy, CURLOPT_PROXY, c->proxy_url);
	EASY_SET(easy, CURLOPT_NOPROXY, "");
	EASY_SET(easy, CURLOPT_PROXY_SSL_VERIFYPEER, c->insecure ? 0L : 1L);
	EASY_SET(easy, CURLOPT_PROXY_SSL_VERIFYHOST, c->insecure ? 0L : 2L);
}

void easy_set_up(CURL *easy, const struct endpoint *ep, const char *path, char error[CURL_ERROR_SIZE])
{
	cleanup_strbuf struct strbuf url = { 0 };

	strbuf_addf(&url, "%s%s", ep->base, path);
	EASY_SET(easy, CURLOPT_URL, url.data);
	EASY_SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	EASY_SET(easy, CURLOPT_PATH_AS_IS, 1L);
	EASY_SET(easy, CURLOPT_CONNECT_TO, ep->connect_to);
	set_proxy(easy, ep->credentials);
	EASY_SET(easy, CURLOPT_ERRORBUFFER, error);
	EASY_SET(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set_socket(easy);
}

/* Without one, that of an earlier set-up goes. */
static void set_blob(CURL *easy, CURLoption option, const struct material *m)
{
	struct curl_blob blob = { .data = m->text.data, .len = m->text.len, .flags = CURL_BLOB_COPY };

	easy_check(curl_easy_setopt(easy, option, m->text.len > 0 ? &blob : NULL));
}

void easy_set_tls(CURL *easy, const struct endpoint *ep)
{
	const struct credentials *c = ep->credentials;

	EASY_SET(easy, CURLOPT_SSL_VERIFYPEER, c->insecure ? 0L : 1L);
	EASY_SET(easy, CURLOPT_SSL_VERIFYHOST, c->insecure ? 0L : 2L);
	EASY_SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	set_blob(easy, CURLOPT_SSLCERT_BLOB, &c->cert);
	set_blob(easy, CURLOPT_SSLKEY_BLOB, &c->key);
	set_blob(easy, CURLOPT_CAINFO_BLOB, &c->ca);
	set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, &c->ca);
	/* The system's folder of certificates would be trusted beside the CA that was named. */
	if (c->ca.text.len > 0)
		EASY_SET(easy, CURLOPT_CAPATH, NULL);
}

static int cannot_connect(CURL *easy, const struct endpoint *ep, const char *error, struct err *err)
{
	long os_errno = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_errno);
	return err_set(err, ERR_UNAVAILABLE, "cannot connect to %s: %s", ep->credentials->server,
	               os_errno ? strerror((int)os_errno) : error);
}

static int not_trusted(const struct endpoint *ep, const char *error, struct err *err)
{
	const struct material *ca = &ep->credentials->ca;

	return err_set(err, ERR_UNAVAILABLE, "the certificate of %s is not trusted (checked with %s): %s",
	               ep->credentials->server, ca->text.len > 0 ? ca->source : "the system's certificates", error);
}

int easy_problem(CURL *easy, const struct endpoint *ep, CURLcode code, const char *error, struct err *err)
{
	const struct credentials *c = ep->credentials;

	if (*error == '\0')
		error = curl_easy_strerror(code);
	/* CURLcode has a hundred values; those that are not named here all mean that the connection is gone. */
	switch ((int)code) {
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_PROXY:
		return cannot_connect(easy, ep, error, err);
	case CURLE_OPERATION_TIMEDOUT:
		return err_set(err, ERR_UNAVAILABLE, "cannot connect to %s within %d s", c->server,
		               EASY_CONNECT_TIMEOUT_MS / 1000);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return not_trusted(ep, error, err);
	case CURLE_SSL_CERTPROBLEM:
		return err_set(err, ERR_UNAVAILABLE, "%s cannot be used: %s",
		               c->cert.source ? c->cert.source : "the client certificate", error);
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		return err_set(err, ERR_PROTOCOL, "%s does not answer as an API server: %s", c->server, error);
	default:
		return err_set(err, ERR_UNAVAILABLE, "the connection to %s broke: %s", c->server, error);
	}
}
