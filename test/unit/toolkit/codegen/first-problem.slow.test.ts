/**
 * The first problem names the fault. One fault at a time is planted in valid parameters. The first problem must have
 * its place, or name the member that is missing or unknown.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ValidationProblem } from '@concordat/rpc'
import t from 'tap'
import {
  type Contract,
  isArray,
  isObject,
  type JsonValue,
  loadContract,
  type Method,
} from '../../../../src/toolkit/contract/index.js'
import { createValues, NoValueError, seededValue } from '../../../../src/toolkit/values/index.js'
import { copyPublicDocuments } from '../../../support/public-documents.js'
import { everyNth, isLong } from '../../../support/runs.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { fixtureNames, loadFixture, loadValidators } from './fixtures.js'

/** One change of a valid value. */
interface Fault {
  readonly kind: 'missing' | 'extra' | 'type' | 'bound'
  readonly value: JsonValue
  /** JSON pointer of what is wrong: of the object, if a member is missing or unknown. */
  readonly place: string
  /** The member that is missing or unknown. */
  readonly member?: string
}

const unknownMember = 'unheardOf'
const token = (name: string | number) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** All faults of a value, and of the values inside it. */
function* faultsOf(value: JsonValue, place = ''): Generator<Fault> {
  for (const other of [7, 'text', {}]) yield { kind: 'type', value: other, place }
  for (const other of outside(value)) yield { kind: 'bound', value: other, place }
  if (isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const fault of faultsOf(item, `${place}${token(at)}`)) {
        yield { ...fault, value: value.with(at, fault.value) }
      }
    }
  } else if (isObject(value)) {
    yield { kind: 'extra', value: { ...value, [unknownMember]: 1 }, place, member: unknownMember }
    for (const [name, inner = null] of Object.entries(value)) {
      const { [name]: _, ...rest } = value
      yield { kind: 'missing', value: rest, place, member: name }
      for (const fault of faultsOf(inner, `${place}${token(name)}`)) {
        yield { ...fault, value: { ...value, [name]: fault.value } }
      }
    }
  }
}

/** Values of the same type that a bound, a pattern or a list of values may exclude. */
function outside(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'number') return [-1e12, 1e12, value + 0.5]
  if (typeof value === 'string') return ['', 'x'.repeat(2_000), `${value}~`]
  if (isArray(value)) return [[...value, ...value], Array.from({ length: 1_100 }, () => value[0] ?? null)]
  return []
}

/** True if the first problem has the place of the fault, names its member, or shows the listed values around it. */
function isNamed({ path, message, rule }: ValidationProblem, { place, member }: Fault): boolean {
  if ((rule === 'const' || rule === 'enum') && `${place}/`.startsWith(`${path}/`)) return true
  if (member === undefined) return path === place
  return message.includes(`"${member}"`) || path === `${place}${token(member)}`
}

interface Count {
  named: number
  all: number
  readonly missed: string[]
}

/** Plants the faults of one example of each parameter of a contract's methods, and counts those that are named. */
async function count(contract: Contract, seeds: number, into: Map<Fault['kind'], Count>): Promise<void> {
  const values = createValues(contract)
  const validators = await loadValidators(contract)
  for (const method of contract.methods) {
    for (let seed = 0; seed < seeds; seed++) {
      const valid = validParams(method, values, String(seed))
      const validate = validators[method.name]?.params
      if (valid === undefined || validate === undefined || validate(sent(method, valid)).length > 0) continue
      for (const [at, value] of valid.entries()) {
        const base = method.paramStructure === 'by-name' ? token(method.params[at]?.name ?? '') : token(at)
        for (const fault of faultsOf(value, base)) {
          const [problem] = validate(sent(method, valid.with(at, fault.value)))
          if (problem === undefined) continue
          const counted = into.get(fault.kind) ?? { named: 0, all: 0, missed: [] }
          into.set(fault.kind, counted)
          counted.all++
          if (isNamed(problem, fault)) counted.named++
          else
            counted.missed.push(
              `${contract.title} ${method.name} ${fault.place} ${fault.member ?? ''}: ${JSON.stringify(problem)}`,
            )
        }
      }
    }
  }
}

function validParams(method: Method, values: ReturnType<typeof createValues>, seed: string) {
  try {
    return method.params.map(({ schema, name }) => seededValue(values.valid([schema]), `${seed} ${name}`))
  } catch (error) {
    if (error instanceof NoValueError) return undefined
    throw error
  }
}

const sent = ({ paramStructure, params }: Method, values: readonly JsonValue[]) =>
  paramStructure === 'by-name'
    ? Object.fromEntries(values.map((value, at) => [params[at]?.name ?? '', value]))
    : values

t.test('the first problem names 95 % of the faults, of each kind', async (t) => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const { installed, beside } = await copyPublicDocuments(await temporaryFolder(t))
  const paths = [
    join(root, 'openrpc.json'),
    join(root, 'examples/backend/openrpc.json'),
    ...installed,
    ...(isLong ? beside : []),
  ]
  const contracts = await Promise.all(paths.map((path) => loadContract(path).catch(() => undefined)))
  const fixtures = await Promise.all(fixtureNames.map((name) => loadFixture(name)))
  const counts = new Map<Fault['kind'], Count>()
  for (const contract of [...contracts, ...everyNth(3, fixtures)]) {
    if (contract !== undefined) await count(contract, isLong ? 3 : 1, counts)
  }
  for (const [kind, { named, all, missed }] of counts) {
    t.ok(named / all >= 0.95, `${kind}: ${named} of ${all}; missed: ${missed.slice(0, 5).join('\n')}`)
  }
  t.equal(counts.size, 4)
})
