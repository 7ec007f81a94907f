import type { JsonValue } from '../../toolkit/contract/index.js'
import type { CallForm } from '../scenario/scenario.js'

/** OpenRPC's method, which services may answer once in a batch. */
export const discovery = 'rpc.discover'

/** `where` of the finding about a call that fails in its form and passes alone. */
export const formPlace = 'form'

/** Describes a form, such as `as item 2 of a batch of 3, over /v2/{key}, accepting gzip`. */
export function formWords({ path, acceptsGzip, key, batch, isPadded }: CallForm): string {
  return [
    ...(batch ? [`as item ${batch.position + 1} of a batch of ${batch.items.length}`] : []),
    ...(path === undefined ? [] : [`over ${path}`]),
    ...(acceptsGzip ? ['accepting gzip'] : []),
    ...(key === undefined ? [] : [`with the ${key} key`]),
    ...(isPadded ? ['followed by spaces'] : []),
  ].join(', ')
}

/** Names what a form has in common with others, so that their failures share a cause. */
export function formKind({ path, acceptsGzip, key, batch, isPadded }: CallForm): string {
  const parts = [
    ...(batch ? ['in a batch'] : []),
    ...(path === undefined ? [] : [`over ${path}`]),
    ...(acceptsGzip ? ['accepting gzip'] : []),
    ...(key === undefined ? [] : [`with the ${key} key`]),
    ...(isPadded ? ['followed by spaces'] : []),
  ]
  return parts.join(', ')
}

/** Headers of a request in a form. */
export function formHeaders({ acceptsGzip }: CallForm): Readonly<Record<string, string>> {
  return acceptsGzip ? { 'accept-encoding': 'gzip' } : {}
}

/** True for a template without variables, whose value is the template. */
export function isLiteral(template: JsonValue | undefined): boolean {
  return template === undefined || !JSON.stringify(template).includes('${')
}
