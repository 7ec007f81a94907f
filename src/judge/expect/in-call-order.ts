import { isArray } from '../../toolkit/contract/index.js'
import type { ReplyView } from '../send/reply-view.js'

/**
 * Returns a response with the answers of a batch in the order of its calls. They may come in any order (JSON-RPC 2.0,
 * section 6), and belong to the calls with their ids. Answers with other ids take the places that are left.
 * @param calls ids of the calls as JSON text, in order
 */
export function inCallOrder(view: ReplyView, calls: readonly string[]): ReplyView {
  const { json, ids } = view
  if (!isArray(json)) return view
  const places = new Map<string | undefined, number[]>()
  for (const [at, id] of ids.entries()) places.set(id, [...(places.get(id) ?? []), at])
  const matched = calls.map((id) => places.get(id)?.shift())
  const taken = new Set(matched)
  const rest = json.map((_, at) => at).filter((at) => !taken.has(at))
  const filled = matched.flatMap((at) => at ?? rest.shift() ?? [])
  const order = [...filled, ...rest]
  return { ...view, json: order.map((at) => json[at] ?? null), ids: order.map((at) => ids[at]) }
}
