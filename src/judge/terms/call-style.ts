import { type Contract, isArray, type JsonObject, type JsonValue } from '../../toolkit/contract/index.js'

/** How calls may be sent, as `paramStructure` and `x-batchable` of the contract's methods state. */
export interface CallStyle {
  /** False for a method that must not be in a batch (`x-batchable`: false). */
  readonly isBatchable: (method: string) => boolean
  /** False if no method may be in a batch. */
  readonly hasBatches: boolean
  /** Returns empty parameters in the form that every method takes. */
  readonly emptyParams: (params: JsonValue) => JsonValue
}

/** Reads how calls may be sent. A contract without methods allows everything. */
export function callStyle({ methods }: Pick<Contract, 'methods'>): CallStyle {
  const single = new Set(
    methods.filter(({ extensions }) => extensions['x-batchable'] === false).map(({ name }) => name),
  )
  const areAll = (structure: string) =>
    methods.length > 0 && methods.every(({ paramStructure }) => paramStructure === structure)
  const [byName, byPosition] = [areAll('by-name'), areAll('by-position')]
  return {
    isBatchable: (method) => !single.has(method),
    hasBatches: methods.length === 0 || single.size < methods.length,
    emptyParams: (params) => {
      if (isEmptyList(params)) return byName ? noNames : params
      return byPosition ? [] : params
    },
  }
}

const noNames: JsonObject = {}

function isEmptyList(value: JsonValue): boolean {
  return isArray(value) && value.length === 0
}
