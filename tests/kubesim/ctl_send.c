#include "ctl.h"

#include "controller/auth/kubeconfig.h"
#include "controller/net/easy.h"

#include <stdio.h>

static size_t take(char *data, size_t size, size_t count, void *ctx)
{
	strbuf_add(ctx, data, size * count);
	return size * count;
}

static int post(const struct endpoint *ep, const char *body, struct strbuf *ret_text, struct err *err)
{
	char why[CURL_ERROR_SIZE] = "", bearer[256];
	struct curl_slist *headers;
	CURL *easy = easy_new();
	long http = 0;
	CURLcode code;

	snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s", strbuf_str(&ep->credentials->token.text));
	headers = easy_append(NULL, bearer);
	easy_set_up(easy, ep, CTL_PATH, why);
	easy_set_tls(easy, ep);
	EASY_SET(easy, CURLOPT_HTTPHEADER, headers);
	EASY_SET(easy, CURLOPT_POSTFIELDS, body);
	EASY_SET(easy, CURLOPT_WRITEFUNCTION, take);
	EASY_SET(easy, CURLOPT_WRITEDATA, ret_text);
	code = curl_easy_perform(easy);
	if (code != CURLE_OK)
		easy_problem(easy, ep, code, why, err);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &http);
	curl_easy_cleanup(easy);
	curl_slist_free_all(headers);
	return code != CURLE_OK ? -1 : (int)http;
}

int ctl_send(const char *dir, const char *const *words, size_t count)
{
	cleanup_credentials struct credentials credentials = {0};
	cleanup_strbuf struct strbuf path = {0}, body = {0}, text = {0};
	struct endpoint ep = {0};
	struct err err = {0};
	int http = -1;

	strbuf_addf(&path, "%s/kubeconfig", dir);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&body, "%s\n", words[i]);
	if (kubeconfig_load(path.data, NULL, &credentials, &err) == 0 && endpoint_init(&ep, &credentials, &err) == 0)
		http = post(&ep, strbuf_str(&body), &text, &err);
	endpoint_release(&ep);
	if (http < 0)
		fprintf(stderr, "kubesim: %s\n", err.msg);
	fputs(strbuf_str(&text), http == 200 ? stdout : stderr);
	return http == 200 ? 0 : 1;
}
