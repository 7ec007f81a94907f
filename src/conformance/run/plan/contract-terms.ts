import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  objectMember,
  stringMember,
} from '../../../contract/index.js'

/** A rule that the contract states in prose. */
export interface ContractRule {
  readonly id: string
  readonly text: string
  readonly section: string
  readonly level: string
  /** JSON pointer of the rule in the contract. */
  readonly pointer: string
}

/** The call that tells the head, and where its answer has number and hash (JSONPath, RFC 9535). */
export interface HeadQuestion {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly number: string
  readonly hash: string
  /** Values of parameters that stand for the head: its number may stand there instead. */
  readonly moving: readonly JsonValue[]
  /** Values of parameters that stand for what is not settled, which differs from replica to replica. */
  readonly unsettled: readonly JsonValue[]
}

/** What a contract states about its service beyond methods and schemas; all of it may be absent. */
export interface ContractTerms {
  readonly rules: readonly ContractRule[]
  readonly head: HeadQuestion | undefined
  /** `x-networks`: what identifies each network, by its name. */
  readonly networks: JsonObject
  /** `x-http.paths`: where the service listens, with `{key}` for the key. */
  readonly paths: readonly string[]
  /** Methods whose result is a number of the network (`x-answer`), with the rules that are about it. */
  readonly networkMethods: readonly {
    readonly method: string
    /** The member of `x-networks`. */
    readonly member: string
    readonly rules: readonly string[]
  }[]
  /** Codes of the errors that `x-failures` answers with HTTP 429; undefined where the contract has no `x-failures`. */
  readonly limitCodes: ReadonlySet<number> | undefined
  /** What `x-failures` says is charged for an answer with an HTTP status, at most; empty where it does not say. */
  readonly charges: ReadonlyMap<number, number>
  /** The variables that every scenario may use: `network.chainId` and the like once the network is known, `limit.…`. */
  readonly variables: (network: string | undefined) => ReadonlyMap<string, JsonValue>
}

/** Reads a contract's terms from its info object and its methods. */
export function contractTerms(contract: Contract): ContractTerms {
  const { info } = contract
  const networks = objectMember(info, 'x-networks')
  const limits = objectMember(info, 'x-limits')
  return {
    rules: contractRules(contract),
    head: headQuestion(objectMember(info, 'x-head')),
    networkMethods: networkMethods(contract),
    networks,
    paths: arrayMember(objectMember(info, 'x-http'), 'paths').filter((path) => typeof path === 'string'),
    limitCodes: limitCodes(contract),
    charges: charges(contract),
    variables: (network) => {
      const variables = new Map<string, JsonValue>()
      for (const [name, limit] of Object.entries(limits)) {
        if (isObject(limit) && limit['value'] !== undefined) variables.set(`limit.${name}`, limit['value'])
      }
      for (const [name, value] of Object.entries(objectMember(networks, network ?? ''))) {
        if (value !== undefined) variables.set(`network.${name}`, value)
      }
      return variables
    },
  }
}

/** The rules of `x-rules`: those of the service stand in the info object, those of one method may stand with it. */
function contractRules({ info, methods }: Contract): readonly ContractRule[] {
  const places = [
    { list: arrayMember(info, 'x-rules'), pointer: '#/info/x-rules' },
    ...methods.map(({ extensions, pointer }) => ({
      list: arrayMember(extensions, 'x-rules'),
      pointer: joinPointer(pointer, 'x-rules'),
    })),
  ]
  return places.flatMap(({ list, pointer }) =>
    list.flatMap((rule, index) => {
      // Elsewhere a text refers to a rule that is stated once.
      const id = isObject(rule) ? stringMember(rule, 'id') : undefined
      if (!isObject(rule) || id === undefined) return []
      return [
        {
          id,
          text: stringMember(rule, 'text') ?? '',
          section: stringMember(rule, 'section') ?? '',
          level: stringMember(rule, 'level') ?? '',
          pointer: joinPointer(pointer, index),
        },
      ]
    }),
  )
}

function networkMethods({ methods }: Contract): ContractTerms['networkMethods'] {
  return methods.flatMap(({ name: method, extensions }) => {
    const member = stringMember(objectMember(extensions, 'x-answer'), 'network')
    const rules = arrayMember(extensions, 'x-rules').filter((rule) => typeof rule === 'string')
    return member === undefined ? [] : [{ method, member, rules }]
  })
}

function limitCodes({ info, errors }: Contract): ReadonlySet<number> | undefined {
  const failures = Object.values(objectMember(info, 'x-failures')).filter(isObject)
  if (failures.length === 0) return undefined
  const names = failures.filter((failure) => failure['httpStatus'] === 429).map((failure) => failure['error'])
  return new Set(errors.filter(({ key }) => names.includes(key)).map(({ code }) => code))
}

/** HTTP 200 is what calls are charged for; of the other statuses, what its costliest failure is. */
function charges({ info }: Contract): ReadonlyMap<number, number> {
  const charges = new Map<number, number>()
  const unknown = new Set<number>()
  for (const failure of Object.values(objectMember(info, 'x-failures')).filter(isObject)) {
    const { httpStatus: status, charge } = failure
    if (typeof status !== 'number' || status === 200) continue
    if (typeof charge !== 'number') unknown.add(status)
    else charges.set(status, Math.max(charges.get(status) ?? 0, charge))
  }
  for (const status of unknown) charges.delete(status)
  // What answers nothing is no call.
  if (charges.size > 0) charges.set(204, 0)
  return charges
}

function headQuestion(stated: JsonObject): HeadQuestion | undefined {
  const method = stringMember(stated, 'method')
  const number = stringMember(stated, 'number')
  const hash = stringMember(stated, 'hash')
  if (method === undefined || number === undefined || hash === undefined) return undefined
  const [moving, unsettled] = [arrayMember(stated, 'moving'), arrayMember(stated, 'unsettled')]
  return { method, params: arrayMember(stated, 'params'), number, hash, moving, unsettled }
}
