/** Parameters on the wire: a list, or an object by name. */
export type WireParams = readonly unknown[] | { readonly [name: string]: unknown }
