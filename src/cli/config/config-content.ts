import type { ChosenNames } from '../../toolkit/codegen/index.js'
import type { EmitterReference } from '../emitters/load-emitter.js'

/** Settings for a severity, everywhere or at one place. */
export interface RuleSetting {
  readonly rule: string
  readonly severity: 'off' | 'hint' | 'warning' | 'error'
  /** A JSON pointer, prefixed with the file name for other files. Absent means everywhere. */
  readonly at?: string
  readonly reason: string
}

/** A lint rule of a project: every value that the JSONPath selects is a problem. */
export interface CustomRule {
  readonly name: string
  readonly path: string
  readonly message: string
  readonly severity?: 'hint' | 'warning' | 'error'
}

/** Changes that a contract version makes on purpose. */
export interface AcceptedChange {
  readonly version: string
  readonly kind?: string
  /** A place as `diff` prints it. Absent means everywhere. */
  readonly at?: string
  readonly reason: string
}

/** The content of a configuration file. `docs/concordat.config.schema.json` describes the members. */
export interface ConfigContent {
  readonly document?: string
  readonly generate?: {
    readonly out?: string
    readonly only?: readonly string[]
    readonly package?: string
    readonly names?: ChosenNames
    readonly emitters?: readonly EmitterReference[]
  }
  readonly lint?: {
    readonly scenarios?: string
    readonly maxWarnings?: number
    readonly rules?: readonly RuleSetting[]
    readonly custom?: readonly CustomRule[]
    readonly modules?: readonly string[]
  }
  readonly diff?: {
    readonly failOn?: 'clients' | 'servers' | 'any'
    readonly undecided?: 'fail' | 'pass'
    readonly accepted?: readonly AcceptedChange[]
  }
}
