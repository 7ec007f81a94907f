/** How the search of the site reads a question. The browser imports this file, so it imports nothing. */

/** Words that say nothing about an answer. */
const emptyWords = new Set(
  `a about after all am an and any are as at be been before but by can cannot could did do does doing don for from get gets
  give happen happens has have how i if in into is it its let long make makes many me mean meaning means much must my
  need no not of on one or our out see set should so some such tell than that the their them then there they thing this
  to up us use using want was way we what when where which while who why will with without work would you your`.split(
    /\s+/,
  ),
)

/** Words of readers, and the words of the pages for the same thing. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  abi: ['contracts'],
  alert: ['alerts', 'alertmanager', 'runbook'],
  auth: ['token', 'tokens', 'bearer', 'scopes'],
  authentication: ['token', 'tokens', 'bearer', 'scopes'],
  authenticate: ['token', 'tokens', 'bearer'],
  backend: ['handlers'],
  breaking: ['breaks', 'compatibility', 'diff'],
  certificate: ['tls', 'https'],
  cluster: ['replicas', 'machines'],
  crash: ['killed', 'failures', 'dies'],
  crashes: ['killed', 'failures', 'dies'],
  delete: ['remove', 'deleted'],
  disaster: ['backup', 'restore'],
  docs: ['reference', 'documentation'],
  documentation: ['reference'],
  docker: ['compose', 'container', 'dockerfile'],
  email: ['mail', 'smtp'],
  event: ['logs', 'events'],
  events: ['logs'],
  fake: ['mock'],
  flaky: ['inconclusive', 'repeat', 'moved', 'known'],
  flake: ['inconclusive', 'repeat', 'known'],
  forgot: ['reset', 'password'],
  ha: ['replicas', 'machines', 'failover'],
  helm: ['kubernetes'],
  ignore: ['known', 'tolerated'],
  install: ['installation', 'packages', 'archives'],
  ip: ['addresses', 'address'],
  k8s: ['kubernetes'],
  kubernetes: ['container'],
  load: ['balancers', 'overload'],
  mail: ['smtp', 'smtpurl'],
  migrate: ['move', 'upgrade'],
  mock: ['stand'],
  monitor: ['metrics', 'watch', 'prometheus'],
  monitoring: ['metrics', 'watch', 'prometheus'],
  multiple: ['several'],
  nodes: ['node'],
  offline: ['outage'],
  pagination: ['pages'],
  password: ['reset'],
  production: ['watch'],
  proxy: ['balancer', 'nginx', 'middleware'],
  python: ['web3py'],
  quota: ['limit', 'requests'],
  rate: ['limit', 'limits'],
  raise: ['lower', 'limit'],
  react: ['wagmi'],
  regenerate: ['generate', 'generated'],
  revert: ['reverted', 'execution'],
  reverted: ['revert'],
  scale: ['replicas', 'machines', 'several'],
  skip: ['applicable', 'judged', 'left'],
  skipped: ['applicable', 'judged', 'left'],
  slow: ['latency', 'timeout'],
  ssl: ['tls', 'https'],
  subscribe: ['subscriptions', 'following', 'watch'],
  stub: ['mock'],
  swagger: ['openrpc', 'reference'],
  throttle: ['limit', '429'],
  throttled: ['limit', '429'],
  throttling: ['limit', '429'],
  tx: ['transaction'],
  typescript: ['typed', 'types'],
  unit: ['test'],
  update: ['upgrade'],
  websocket: ['websockets', 'subscriptions'],
  ws: ['websocket'],
}

/** Parts of the site in the order in which readers should find them. Later ones need a better match. */
const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  [/\/(?:questions|tutorials)\//, 1.5],
  [/\/reference\/(?:rules|derived-rules|failures|envelope)\b/, 0.3],
  [/\/(?:security|support)\b/, 0.4],
  [/\/reference\//, 0.6],
  [/\/(?:settings|clients|cases|extensions|reliability)\b/, 0.7],
]

/** Words shorter than this are neither completed nor corrected; letters. */
const letters = { completed: 3, corrected: 5 }

/**
 * Options of MiniSearch for a question: empty words are dropped, words of readers also find those of the pages, and
 * guides come before the reference.
 */
export const searchOptions = {
  boost: { title: 4, text: 2, titles: 2 },
  prefix: (term: string) => term.length >= letters.completed,
  fuzzy: (term: string) => (term.length >= letters.corrected ? 0.2 : false),
  processTerm(text: string): string[] | null {
    const term = text.toLowerCase().replace(/['’]s?$/, '')
    if (term === '' || emptyWords.has(term)) return null
    const singular = term.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
    // Words are completed, so that a stem also finds other forms of a verb.
    const stem = term.replace(/(.{4})(?:ing|ed|ions?|ly)$/, '$1')
    const plural = term.replace(/([^aeiou])y$/, '$1ies')
    return [
      ...new Set([
        term,
        singular,
        plural,
        stem,
        ...(otherWords[term] ?? []),
        ...(otherWords[singular] ?? []),
      ]),
    ]
  },
  boostDocument: (id: string) => weights.find(([path]) => path.test(id))?.[1] ?? 1,
}
