/** Types of console-call.js, which the service and browsers share. */
export declare const shownBytes: number

/** The field of a parameter. */
export interface CallField {
  readonly name: string
  readonly kind: 'text' | 'boolean' | 'json'
  readonly text: string
}

/** A request, or the problem of a field. */
export type CallRequest =
  | { readonly body: string; readonly problem?: never }
  | { readonly body?: never; readonly problem: { readonly name: string; readonly text: string } }

export declare function toRequest(method: string, fields: readonly CallField[]): CallRequest
export declare function tokenProblem(token: string): string | undefined
export declare function curlOf(url: string, body: string, hasToken: boolean): string
export declare function describeAnswer(answer: {
  readonly status: number
  readonly text: string
  readonly isCut: boolean
  readonly milliseconds: number
}): { readonly isGood: boolean; readonly what: string; readonly details: string }
/** A response header: its name in lower case, and its value. */
export type Header = readonly [name: string, value: string]

export declare function sortHeaders(headers: readonly Header[]): readonly Header[]
export declare function prettyText(text: string): string

/** A part of a text: a hexadecimal value, or the text between two. */
export interface TextPart {
  readonly part: string
  readonly isHex: boolean
}

export declare function splitAtHex(text: string): readonly TextPart[]
