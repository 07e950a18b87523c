#include "trust.h"

#include "easy.h"

#include <openssl/ssl.h>

void trust_copy(struct trust *to, const struct trust *from)
{
	struct trust copy = *from;

	if (copy.store)
		X509_STORE_up_ref(copy.store);
	trust_release(to);
	*to = copy;
}

void trust_release(struct trust *t)
{
	X509_STORE_free(t->store);
	*t = (struct trust){ 0 };
}

/* libcurl has read the texts by now, if it was given any. */
static CURLcode on_context(CURL *easy, void *context, void *ctx)
{
	struct trust *t = ctx;

	(void)easy;
	if (t->store) {
		SSL_CTX_set1_cert_store(context, t->store);
	} else {
		t->store = SSL_CTX_get_cert_store(context);
		X509_STORE_up_ref(t->store);
	}
	return CURLE_OK;
}

void trust_use(struct trust *t, CURL *easy)
{
	static const CURLoption texts[] = { CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_CAINFO_BLOB,
		                            CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH, CURLOPT_PROXY_CAINFO_BLOB };

	for (size_t i = 0; t->store && i < sizeof(texts) / sizeof(texts[0]); i++)
		easy_check(curl_easy_setopt(easy, texts[i], NULL));
	EASY_SET(easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
	EASY_SET(easy, CURLOPT_SSL_CTX_DATA, t);
}
