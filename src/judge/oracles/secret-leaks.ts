import type { MakeEvidence } from '../record/evidence.js'
import type { Evidence, Finding } from '../report/index.js'
import type { Exchange } from '../send/exchange.js'
import { createRedactor, type Redactor } from '../send/redact/redactor.js'
import { secretsOf } from '../send/redact/secrets-of.js'

/** Minimum length of a secret that is searched in answers, in characters. Shorter texts occur by chance. */
const shortestSecret = 16

/** Exchanges with a secret that are remembered; further ones have the same cause. */
const rememberedExchanges = 1_000

/** Request headers with credentials, which an answer must repeat nowhere. */
const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** The secrets of a run. */
export interface RunSecrets {
  /** Keys, tokens and other secrets of the user. */
  readonly values: readonly string[]
  /** Headers that the user adds to every request. */
  readonly headers: Readonly<Record<string, string>>
}

/** Searches the answers of a run for its secrets. */
export interface SecretLeaks {
  /** Searches an answer. */
  see(exchange: Exchange): void
  /** Creates evidence of an exchange, and remembers what was found in its answer. */
  readonly evidence: MakeEvidence
  /** What was found in the answer of an evidence; undefined if nothing. */
  of(evidence: Evidence): Finding | undefined
  /** Evidence of answers with a secret that no case has kept, such as those of fixtures. */
  elsewhere(): readonly Evidence[]
}

/**
 * Creates the search. Credentials count in bodies and headers. The values of other headers count in bodies only, because
 * a contract may state that a header is echoed, such as `Origin`. What a request has sent in its body may come back.
 */
export function createSecretLeaks({ values, headers }: RunSecrets, make: MakeEvidence): SecretLeaks {
  const credentials = Object.entries(headers).filter(([name]) => credentialHeaders.has(name.toLowerCase()))
  const anywhere = redactorOf({ values, headers: Object.fromEntries(credentials) })
  const inBodies = redactorOf({ values, headers })
  const found = new Map<Exchange, Finding>()
  const kept = new WeakSet<Exchange>()
  const known = new WeakMap<Evidence, Finding>()

  function evidence(recorded: Parameters<MakeEvidence>[0]): Evidence {
    const made = make(recorded)
    const finding = found.get(recorded.exchange)
    if (finding !== undefined) {
      known.set(made, finding)
      kept.add(recorded.exchange)
    }
    return made
  }

  return {
    see(exchange) {
      const finding = leakIn(exchange, anywhere, inBodies)
      if (finding !== undefined && found.size < rememberedExchanges) found.set(exchange, finding)
    },
    evidence,
    of: (answer) => known.get(answer),
    elsewhere: () =>
      [...found.keys()]
        .filter((exchange) => !kept.has(exchange))
        .map((exchange) => evidence({ step: 1, exchange })),
  }
}

const redactorOf = ({ values, headers }: RunSecrets): Redactor =>
  createRedactor(secretsOf({ headers, values }).filter(({ length }) => length >= shortestSecret))

function leakIn({ outgoing, reply }: Exchange, anywhere: Redactor, inBodies: Redactor): Finding | undefined {
  if (reply === undefined) return undefined
  const leaking = Object.entries(reply.headers).find(([, value]) => anywhere.survives(value))
  if (leaking !== undefined) return finding(`header ${leaking[0]}`)
  const texts = reply.messages ?? [reply.text ?? Buffer.from(reply.bytes).toString('latin1')]
  if (!texts.some((text) => inBodies.survives(text))) return undefined
  const sent = Buffer.from(outgoing.body ?? '').toString()
  return inBodies.survives(sent) ? undefined : finding('body')
}

const finding = (where: string): Finding => ({
  where,
  expected: 'no key, token or other secret of the run',
  got: 'a secret, which this report hides',
})
