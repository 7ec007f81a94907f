import {
  type Contract,
  facets,
  itemSchemas,
  type JsonValue,
  type LocatedSchema,
  type Method,
  member,
  memberSchemas,
} from '../../contract/index.js'
import { componentKeys } from '../component-keys.js'

/** A value inside a result that can be passed to another call. */
export interface Outlet {
  readonly method: Method
  /** JSONPath into the response, such as `$['result']['hash']`. */
  readonly path: string
}

/** A parameter, or a member of one, and the results that can supply its value. */
export interface Inlet {
  /** Position of the parameter. */
  readonly position: number
  /** Names of the members from the parameter to the value. */
  readonly members: readonly string[]
  /** Results that fit best: a link, then the same schema and name, the same schema, the same name. */
  readonly outlets: readonly Outlet[]
}

/** A named value with its schemas. */
interface Spot {
  readonly name: string
  readonly keys: ReadonlySet<string>
}

/** Maximum depth of values inside results and parameters. */
const depthMost = 3

/** Matches each parameter with the results that can supply it, for every method. */
export function feedsOf(
  contract: Contract,
  methods: readonly Method[],
): ReadonlyMap<string, readonly Inlet[]> {
  const outlets = methods.flatMap((method) =>
    method.result
      ? outletsIn(contract, method, [method.result.schema], method.result.name, "$['result']", depthMost)
      : [],
  )
  return new Map(
    methods.map((method) => {
      const inlets = method.params.flatMap(({ name, schema }, position) =>
        spotsIn(contract, [schema], name, [], depthMost - 1).flatMap(({ members, ...spot }) => {
          const linked = members.length > 0 ? [] : linksTo(methods, method, name)
          const found =
            linked.length > 0
              ? linked
              : bestOf(
                  spot,
                  outlets.filter((one) => one.method !== method),
                )
          return found.length > 0 ? [{ position, members, outlets: found }] : []
        }),
      )
      return [method.name, inlets] as const
    }),
  )
}

/** Returns the results that links of the contract pass to a parameter. */
function linksTo(methods: readonly Method[], target: Method, param: string): readonly Outlet[] {
  return methods.flatMap((method) =>
    method.links.flatMap((link) => {
      const path = link.method === target.name ? resultPath(member(link.params, param)) : undefined
      return path === undefined ? [] : [{ method, path }]
    }),
  )
}

/**
 * Converts a runtime expression such as `${result.hash}` to a JSONPath into the response.
 * @returns undefined for anything else
 */
export function resultPath(expression: JsonValue | undefined): string | undefined {
  const path =
    typeof expression === 'string' ? /^\$\{result((?:\.\w+|\[\d+\])*)\}$/.exec(expression)?.[1] : undefined
  return path === undefined ? undefined : `$.result${path}`
}

function bestOf({ name, keys }: Spot, outlets: readonly (Outlet & Spot)[]): readonly Outlet[] {
  const isSameSchema = (outlet: Spot) => [...keys].some((key) => outlet.keys.has(key))
  const isSameName = (outlet: Spot) => plainName(outlet.name) === plainName(name)
  const ranks = [(one: Spot) => isSameSchema(one) && isSameName(one), isSameSchema, isSameName]
  const fitting = ranks.map((rank) => outlets.filter(rank)).find((found) => found.length > 0) ?? []
  return fitting.map(({ method, path }) => ({ method, path }))
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function outletsIn(
  contract: Contract,
  method: Method,
  schemas: readonly LocatedSchema[],
  name: string,
  path: string,
  depth: number,
): readonly (Outlet & Spot)[] {
  const all = facets(contract, schemas)
  const own = { method, path, name, keys: componentKeys(all) }
  if (depth === 0) return [own]
  const inner = [...memberSchemas(all)].flatMap(([key, found]) =>
    outletsIn(contract, method, found, key, `${path}[${quoted(key)}]`, depth - 1),
  )
  const items = itemSchemas(all)
  const item = items.length > 0 ? outletsIn(contract, method, items, name, `${path}[0]`, depth - 1) : []
  return [own, ...inner, ...item]
}

/** Quotes a member name for JSONPath (RFC 9535, section 2.3.1.2). */
function quoted(name: string): string {
  return `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function spotsIn(
  contract: Contract,
  schemas: readonly LocatedSchema[],
  name: string,
  members: readonly string[],
  depth: number,
): readonly (Spot & { readonly members: readonly string[] })[] {
  const all = facets(contract, schemas)
  const own = { name, members, keys: componentKeys(all) }
  if (depth === 0) return [own]
  const inner = [...memberSchemas(all)].flatMap(([key, found]) =>
    spotsIn(contract, found, key, [...members, key], depth - 1),
  )
  return [own, ...inner]
}
