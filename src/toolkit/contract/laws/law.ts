import type { JsonObject, JsonValue } from '../json.js'
import type { Method } from '../model/contract.js'

/** Reference tokens of a JSON pointer; `*` stands for every item of a list. */
export type Tokens = readonly string[]

/** A call that a law names. Its values are literals or expressions such as `${params.side}`. */
export interface LawCall {
  readonly method: Method
  readonly params: Readonly<Record<string, JsonValue>>
}

/** A member by which a list is sorted. */
export interface SortKey {
  /** Path of the member in an item; empty for the item itself. */
  readonly path: Tokens
  readonly isDescending: boolean
}

/** A member of an item or a result, and the part of the parameters that it is compared with. */
export interface Asked {
  readonly member: Tokens
  /** Path in the parameters, which begins with the name of a parameter. */
  readonly param: Tokens
}

/** A member of an item, and the parts of the parameters that bound it. */
export interface Bounds {
  readonly member: Tokens
  readonly from: Tokens
  readonly to: Tokens
}

/** How the calls of a paged list continue. */
export type PageStep =
  /** The number of items before the page. */
  | { readonly kind: 'offset'; readonly param: string }
  /** The number of the page, counted from `first`. */
  | { readonly kind: 'page'; readonly param: string; readonly first: number }
  /** A value from the result before. Null, an empty text or no value ends the list. */
  | { readonly kind: 'cursor'; readonly param: string; readonly next: Tokens }

/** What results of a method obey (`x-laws`), as far as one answer or a few calls can show it. */
export type Law =
  | { readonly kind: 'sorted'; readonly list: Tokens; readonly by: readonly SortKey[] }
  | {
      readonly kind: 'adds-up'
      readonly total: Tokens
      /** Paths of the parts, in the same result or in that of the other call. */
      readonly parts: Tokens
      /** True if the total is the number of the parts. */
      readonly isCount: boolean
      readonly of: LawCall | undefined
    }
  | {
      readonly kind: 'pages'
      readonly list: Tokens
      /** Parameter with the largest number of items of a page. */
      readonly size: string
      readonly step: PageStep
      /** Path of the number of items of the whole list. */
      readonly total: Tokens | undefined
    }
  | {
      readonly kind: 'first-of'
      readonly of: LawCall
      /** Path of the list in the result of the other call. */
      readonly list: Tokens
      /** Path in the first item. */
      readonly first: Tokens
      /** Path in the own result. */
      readonly result: Tokens
    }
  | { readonly kind: 'undone-by'; readonly by: LawCall; readonly observe: readonly LawCall[] }
  /** Each item of a list matches the parameters of the request. */
  | {
      readonly kind: 'subset-by'
      readonly list: Tokens
      readonly members: readonly Asked[]
      readonly bounds: readonly Bounds[]
    }
  /** Members of the result match the parameters of the request. */
  | { readonly kind: 'echoes'; readonly members: readonly Asked[] }
  /** The list of a range equals the joined lists of its parts. */
  | { readonly kind: 'partition'; readonly list: Tokens; readonly from: Tokens; readonly to: Tokens }

/** A law with its place. */
export interface StatedLaw {
  readonly method: Method
  /** JSON pointer into the contract. */
  readonly pointer: string
  /** Id of the rule that the law states, if it names one. */
  readonly rule: string | undefined
  /** Values of parameters of the calls that the law is about; without any, it is about all calls. */
  readonly when: JsonObject
  /** Undefined if the law has problems, or if only generated calls check it. */
  readonly law: Law | undefined
  readonly problems: readonly LawProblem[]
}

/** A mistake in a law. */
export interface LawProblem {
  /** JSON pointer into the contract. */
  readonly pointer: string
  readonly message: string
}
