import { isArray } from '../../contract/index.js'
import type { ReplyView } from './reply-view.js'

/**
 * Returns a response with the answers of a batch in the order of its calls. They may come in any order (JSON-RPC 2.0,
 * section 6), and belong to the calls with their ids. Answers with other ids take the places that are left.
 * @param calls ids of the calls as JSON text, in order
 */
export function inCallOrder(view: ReplyView, calls: readonly string[]): ReplyView {
  const { json, ids } = view
  if (!isArray(json)) return view
  const left = new Set(json.keys())
  const matched = calls.map((id) => {
    const at = [...left].find((index) => ids[index] === id)
    if (at !== undefined) left.delete(at)
    return at
  })
  const rest = left.values()
  const filled = matched.flatMap((at) => {
    const taken = at ?? rest.next().value
    return taken === undefined ? [] : [taken]
  })
  const order = [...filled, ...rest]
  return { ...view, json: order.map((at) => json[at] ?? null), ids: order.map((at) => ids[at]) }
}
