/**
 * Words that occur in every output, because the tool, HTTP or JSON-RPC writes them. A secret that is part of
 * one of them cannot be hidden by replacement: that would destroy the output and reveal the secret.
 */
const WORDS = `
  jsonrpc method methods params result error code message data id batch request response null true false undefined
  http https localhost 127.0.0.1 get head put post patch delete options trace connect bearer basic digest cookie
  application/json application/xml application/octet-stream text/plain text/html charset=utf-8 utf-8 utf8 ascii
  gzip deflate identity chunked keep-alive close no-cache no-store max-age content-type content-length
  content-encoding accept accept-encoding accept-language user-agent authorization origin referer host connection
  date server vary etag expires transfer-encoding retry-after ratelimit ratelimit-policy allow location x-api-key
  schema concordat-conformance-report/2 tool name version contract title sha256 target url network head number hash
  mode allowed budget persecond concurrency started milliseconds requests billed writes heldback limited counts
  cases rules group scenario scenarios effect verdict reason findings evidence step steps verb headers body status
  trouble curl before after where expected got text section level pointer pass passed tolerated fail failed no-answer unanswered expired
  known-fail stale inconclusive not-applicable not-run harness-error gave-up completeness complete incomplete read write spends-quota rpc_url
  test tests testnet main mainnet live latest earliest pending local dev development demo example staging prod
  production public private default none this that with from
  altered shared omitted cause elements kind method parameter fixtures found covered coverage without judged tried
  testsuites testsuite testcase classname failures failure errors skipped skip todo again timestamp properties property
  system-out subtest duration_ms answer answers doctype meta viewport width device-width initial-scale http-equiv
  content-security-policy referrer no-referrer link icon href style class eyebrow headline viewbox preserveaspectratio
  role aria-label aria-labelledby rect height tiles span nbsp facts reading parts article sheet compare wanted mark came
  details more summary what sent exchange exchanges tabindex send copy data-what line command script search fieldset
  legend label chip input checkbox checked fields field select every autocomplete spellcheck button reset show
  data-verdict data-rules data-methods data-rule data-open open-rules small footer written redacted cut not-utf8 keys values stand whole only
  same also among names fast full
`
  .trim()
  .split(/\s+/)

/**
 * Returns true for a value that cannot be hidden by replacement: too short, a small number, or part of a
 * common word.
 */
export function isCommon(value: string): boolean {
  if (value.length < 4 || /^\d{1,5}$/.test(value)) return true
  // Mask characters and punctuation occur in every redacted text.
  if (!/[^•\s"'\\/{}[\]().,:;_=+*-]/.test(value)) return true
  const word = value.toLowerCase()
  return WORDS.some((common) => common.includes(word))
}
