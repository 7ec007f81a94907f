/** How the search of the site reads texts and questions. The browser imports this file. */
import { stemmer } from 'stemmer'

/** Words that say nothing about an answer. */
const emptyWords = new Set(
  `a about after all already also am an and any anything are as at be because been before being but by can cannot could did
  do does doing done don dont else few for from get gets getting give given gives go goes going got happen happened
  happens has have having how i if in into is isn it its just let like long make makes making many may me mean meaning
  means might much must my need needed needs never no not now of off on once one only onto or other our out over own
  please possible put see seem set setup shall should so some somebody someone something such take takes tell than that the
  their them then there these they thing things this those through to too under until up us use used uses using want
  wants was way we were what when where whether which while whom whose why will with within without work works would
  yet you your`.split(/\s+/),
)

/** Words for the same thing. The index has the first one of a line in place of the others. */
const sameWords = `
abort cancel cancelled
administrator admin
alert alarm pager
answer response reply
archive historical
authentication auth authenticate
balancer loadbalancer
begin start launch boot
behaviour behavior
break broken broke
build built
call request
change edit modify
charge bill
chart graph plot
check verify ensure assert
colour color
compare comparison versus vs
concurrent parallel simultaneous concurrency
config configuration configure option setting
container docker
cost price pricing
cpu processor core
crash die dies kill dead
database db
debug troubleshoot diagnose
deploy deployment
diff difference
disable deactivate
doc documentation
duplicate twice double
environment env
error exception
export download
fault bug mistake defect
find found search
fix repair solve
flaky flake unstable intermittent inconclusive sporadic
forget forgot forgotten
frontend ui
funds money coin
hang hung stuck freeze frozen unresponsive
hex hexadecimal
hide hidden redact mask
invalid wrong bad incorrect
javascript js
keep kept
kubernetes k8s
large big huge
licence license
limit quota throttle maximum max
logo icon favicon
lose lost loss
machine host vm
mail email smtp
member field property attribute
memory ram heap
metric monitor monitoring
mobile phone smartphone
mock fake stub dummy
move migrate migration
multiple several
node upstream
notify inform
outage down offline unavailable unreachable
parameter param argument arg
pay paid
permission scope role authorization
pipeline ci
postgresql postgres pg
protect prevent avoid
python py
quantity amount
refuse reject deny forbid forbidden
remove delete erase gone
replica instance
restore recover recovery
retry repeat resend
rollback downgrade
run ran
schedule cron nightly night
secure security
send sent
show display view print
slow performance latency fast speed quick
spec specification
stop shutdown
store save persist
subscription subscribe
throw threw thrown
ticket jira
timeout deadline
tls ssl https certificate cert
transaction tx
typescript ts
upgrade update
user customer tenant
wait delay pause
website site webpage
websocket ws wss
write wrote written
`

/** Two words that readers also write as one. */
const pairs = /\b(back|check|fail|log|roll|set|shut|sign|time)[ -](up|in|out|off|back|down|over)\b/gi

/** The beginning of a URL, which says nothing of TLS. */
const schemes = /\bhttps?:\/\//g

const wordsOf = (text: string): string[] =>
  text
    .replace(schemes, ' ')
    .replace(pairs, '$1$2')
    .split(/[\n\r\p{Z}\p{P}]+/u)

/** Returns the stem of a word. Words such as `customer` keep their ending, so that they differ from `custom`. */
const stemOf = (word: string): string => (/[eo]rs?$/.test(word) ? word.replace(/s$/, '') : stemmer(word))

const commonWords = new Map(
  sameWords
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.split(' ').map(stemOf)
      return others.map((other) => [other, first] as const)
    }),
)

function termOf(word: string): string | null {
  const lower = word.toLowerCase().replace(/['’]s?$/, '')
  if (lower === '' || emptyWords.has(lower)) return null
  const stem = stemOf(lower)
  return commonWords.get(stem) ?? stem
}

/** Parts of the site in the order in which readers should find them. Later ones need a better match. */
const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  [/\/(?:questions|tutorials)\//, 1.3],
  [/\/reference\/(?:rules|derived-rules|failures|envelope)\b/, 0.3],
  [/\/reference\//, 0.6],
  [/\/commands\.html#/, 0.6],
  [/\/(?:settings|clients|cases|extensions|reliability|security|support)\b/, 0.7],
]

/** Fields of a section: its heading, those above it, what readers call it, and its text. */
const fields = ['title', 'titles', 'words', 'text']

/** Words of fewer letters are neither completed nor corrected. */
const letters = { completed: 3, corrected: 5 }

/** Options of MiniSearch for the index. Names such as `timeoutMilliseconds` are also found by their parts. */
export const indexOptions = {
  fields,
  storeFields: ['title', 'titles'],
  tokenize: wordsOf,
  processTerm(word: string): string[] {
    const parts = word.split(/(?<=[a-z\d])(?=[A-Z])/)
    return [...new Set([word, ...parts].map(termOf))].filter((term) => term !== null)
  },
}

/**
 * Options of MiniSearch for a question. A section counts by the number of the words that it has, and the last word is
 * completed, because the reader may still be typing.
 */
export const searchOptions = {
  boost: { title: 2, titles: 1, words: 3, text: 1 },
  bm25: { k: 0.8, b: 0.1, d: 0.3 },
  prefix: (term: string, at: number, terms: readonly string[]) =>
    at === terms.length - 1 && term.length >= letters.completed,
  fuzzy: (term: string) => (term.length >= letters.corrected ? 1 : false),
  weights: { prefix: 0.3, fuzzy: 0.1 },
  tokenize: wordsOf,
  processTerm: termOf,
  boostDocument: (id: string) => weights.find(([path]) => path.test(id))?.[1] ?? 1,
}
