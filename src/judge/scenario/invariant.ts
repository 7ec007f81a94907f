import type { ComputeStep, Condition, Matcher } from './scenario.js'

/** A number in a response header. */
export interface HeaderNumber {
  /** Name of the header, in lower case. */
  readonly header: string
  /** Pattern whose first group is the number, or the value. */
  readonly pattern: string
  /** Pattern whose first group names what the header is about, such as the scope of a limit. */
  readonly by: string | undefined
}

/** What an invariant states. */
export type InvariantForm =
  /** A number of remaining requests, which each request decreases by its charge. */
  | (HeaderNumber & { readonly kind: 'falls'; readonly resets: string | undefined })
  /** A value that is the same in every answer to a key. */
  | (HeaderNumber & { readonly kind: 'steady' })
  /** Seconds until the end of a window that began at a multiple of its length since 1970 UTC. */
  | (HeaderNumber & { readonly kind: 'resets'; readonly window: string | number })
  /** A pattern that no text of an answer may match, except texts of the request. */
  | {
      readonly kind: 'no-text'
      readonly pattern: string
      /** Methods whose results are not searched. */
      readonly except: ReadonlySet<string>
    }
  /** Members that are equal in all answers with the same entity. */
  | {
      readonly kind: 'same'
      readonly entity: string
      /** The compared members; undefined for all. */
      readonly members: readonly string[] | undefined
      readonly except: ReadonlySet<string>
    }
  /** A statement about an entity, or about an entity and others to which its members refer. */
  | {
      readonly kind: 'relation'
      readonly entity: string
      readonly others: readonly RelatedEntity[]
      readonly conditions: readonly Condition[]
      readonly computations: readonly ComputeStep[]
      readonly expectations: readonly Condition[]
      readonly settled: Settled | undefined
    }
  /** A value that does not fall while another value of the entity rises. */
  | {
      readonly kind: 'ordered'
      readonly entity: string
      /** Templates of the two values, with `${name.member}`. */
      readonly by: string
      readonly value: string
      readonly settled: Settled | undefined
    }

/** Leaves out entities that may still change, because they are near the highest value that the run has seen. */
export interface Settled {
  /** Template of the value. */
  readonly value: string
  /** Minimum difference to the highest value. */
  readonly distance: number
}

/** Another entity of a relation. */
export interface RelatedEntity {
  /** Variable that holds the entity. */
  readonly variable: string
  readonly entity: string
  /** Template of its key, with `${variables}` of the entities before. */
  readonly key: string
}

/** A statement about all answers of a run, from a YAML file. */
export interface Invariant {
  /** `invariants/<name>`, from the file name. */
  readonly id: string
  /** The statement in one sentence. */
  readonly invariant: string
  /** Ids of the rules of the contract, the main one first. */
  readonly rules: readonly string[]
  readonly form: InvariantForm
  readonly source: { readonly file: string; readonly line: number }
}

/** Things that occur in several answers and have a key, such as blocks. */
export interface Entity {
  /** The file name, as used in invariants. */
  readonly name: string
  /** One sentence that states what it is. */
  readonly entity: string
  readonly places: readonly EntityPlace[]
  /** Template of the key, with `${members}` of the entity. */
  readonly key: string
  readonly source: { readonly file: string; readonly line: number }
}

/** Where answers contain an entity, or which calls count as entities. */
export interface EntityPlace {
  readonly methods: readonly string[]
  /** JSONPath of the entities in the answer. Each match is one. Undefined if the entity is the call with its answer. */
  readonly at: string | undefined
  /** Matcher of the entity; undefined for every object. */
  readonly is: Matcher | undefined
}

/** The invariants of a folder, and the entities that they are about. */
export interface Invariants {
  readonly invariants: readonly Invariant[]
  readonly entities: readonly Entity[]
}
