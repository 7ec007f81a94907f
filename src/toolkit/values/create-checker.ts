import { type Contract, type JsonValue, type LocatedSchema, schemaCompiler } from '../contract/index.js'

/** Creates a function that checks values by schemas of a contract. Each schema is compiled on first use. */
export function createChecker(contract: Contract): (located: LocatedSchema, value: JsonValue) => boolean {
  const compile = schemaCompiler(contract, { allErrors: false })
  return (located, value) =>
    typeof located.schema === 'boolean' ? located.schema : compile(located)(value) === true
}
