import type { StatedAnswer } from '../../report/index.js'
import type { Invariant } from '../../scenario/invariant.js'
import { Latest, type Seen, trafficDefaults } from './seen.js'

/** True for an invariant about headers, which is judged by the times of all requests of a run. */
export function isAboutHeaders({ form }: Pick<Invariant, 'form'>): boolean {
  return form.kind === 'falls' || form.kind === 'steady' || form.kind === 'resets'
}

/** Records what invariants about headers need, so that a stored run can be judged again. */
export class StatedAnswers {
  readonly #answers = new Latest<StatedAnswer>(trafficDefaults.rememberedAnswers)
  readonly #keys = new Map<string, number>()
  readonly #names: readonly string[]

  /** @param invariants of the run. Nothing is recorded if none of them is about headers */
  constructor(invariants: readonly Invariant[]) {
    const names = invariants.flatMap(({ form }) => ('header' in form ? [form.header] : []))
    this.#names = names.length === 0 ? [] : [...new Set([...names, 'date'])]
  }

  get items(): readonly StatedAnswer[] {
    return this.#answers.items
  }

  /** @param started start of the run, in milliseconds of `performance.now()` */
  add({ exchange, sent, received, key, charged }: Seen, started: number): void {
    if (charged === undefined || this.#names.length === 0) return
    const number = this.#keys.get(key) ?? this.#keys.size + 1
    this.#keys.set(key, number)
    const { least, most, worst } = charged.charge
    const headers = exchange.reply?.headers ?? {}
    this.#answers.add({
      sent: rounded(sent - started),
      received: rounded(received - started),
      key: number,
      kind: charged.kind,
      charge: { least, ...(Number.isFinite(most) && { most }), ...(Number.isFinite(worst) && { worst }) },
      headers: Object.fromEntries(
        this.#names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      ),
    })
  }
}

/** Microseconds, so that requests keep their order. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

/**
 * Restores a stored answer, without bodies.
 * @param started start of the run, in milliseconds since 1970 UTC
 */
export function seenAgain(
  { sent, received, key, kind, charge, headers }: StatedAnswer,
  started: number,
  url: string,
): Seen {
  const { least, most = Number.POSITIVE_INFINITY, worst = Number.POSITIVE_INFINITY } = charge
  const outgoing = { verb: 'POST', url, headers: {}, methods: undefined, billed: 1 }
  const reply = { status: 200, headers, bytes: new Uint8Array(), text: undefined }
  return {
    exchange: {
      outgoing: { ...outgoing, body: undefined, builtIn: false, effect: 'read' },
      reply,
      trouble: undefined,
      milliseconds: received - sent,
    },
    ...{ sent, received, clock: started + received, key: String(key) },
    charged: { kind, charge: { least, most, worst } },
  }
}
