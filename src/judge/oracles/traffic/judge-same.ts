import { isDeepStrictEqual } from 'node:util'
import { member } from '../../../toolkit/contract/index.js'
import { describe } from '../../report/index.js'
import type { InvariantForm } from '../../scenario/invariant.js'
import type { OnAgain } from './entity-store.js'
import { recorded, type TrafficVerdict, Violations } from './seen.js'

/** Judges the members of an entity that are equal in all answers. */
export class SameJudge {
  readonly #form: Extract<InvariantForm, { kind: 'same' }>
  readonly #violations = new Violations()
  #compared = 0

  constructor(form: Extract<InvariantForm, { kind: 'same' }>) {
    this.#form = form
  }

  readonly onAgain: OnAgain = (entity, first, again) => {
    const { members, except } = this.#form
    if (entity !== this.#form.entity) return
    this.#compared++
    const names = members ?? Object.keys({ ...first.value, ...again.value })
    const differing = names.find(
      (name) => !except.has(name) && !isDeepStrictEqual(member(first.value, name), member(again.value, name)),
    )
    if (differing === undefined) return
    const shown = (value: typeof first.value) => describe(member(value, differing))
    this.#violations.add(() => ({
      finding: {
        where: `${entity} ${first.key}, ${differing}`,
        expected: `${shown(first.value)}, as in an earlier answer`,
        got: shown(again.value),
      },
      answers: [recorded(first.seen, 1), recorded(again.seen, 2)],
    }))
  }

  verdict(): TrafficVerdict {
    return this.#violations.verdict(this.#compared)
  }
}
