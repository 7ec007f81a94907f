import type { MethodDescriptor, Validator } from '@concordat/rpc'
import type { Methods } from '@concordat/server'
import { validatorsText } from '../../toolkit/codegen/index.js'
import type { Contract, Method } from '../../toolkit/contract/index.js'

/** The exports of a generated `validators.js`. */
interface ValidatorModule {
  readonly validators: Readonly<Record<string, { readonly params: Validator; readonly result: Validator }>>
}

/**
 * Loads the methods of a contract with generated validators, without writing files. Invalid parameters are
 * reported as by the generated server.
 * @param contract the contract to serve
 * @throws ContractError when a schema is not supported
 */
export async function loadMethods(contract: Contract): Promise<Methods> {
  const text = validatorsText(contract, { name: 'concordat', version: '' })
  const code = Buffer.from(text).toString('base64')
  const { validators } = (await import(`data:text/javascript;base64,${code}`)) as ValidatorModule
  return Object.fromEntries(
    contract.methods.flatMap((method) => {
      const own = Object.hasOwn(validators, method.name) ? validators[method.name] : undefined
      return own ? [[method.name, descriptor(method, own.params, own.result)]] : []
    }),
  )
}

/** Creates a method descriptor like those of a generated `methods.ts`. */
function descriptor(method: Method, validateParams: Validator, validateResult: Validator): MethodDescriptor {
  return {
    name: method.name,
    params: method.params.map(({ name, required, default: preset }, at) => ({
      name,
      required,
      ...(preset === undefined ? {} : { default: preset }),
      ...(acceptsNull(validateParams, at) ? { nullable: true } : {}),
    })),
    paramStructure: method.paramStructure,
    notification: method.result === undefined,
    extensions: method.extensions,
    validateParams,
    validateResult,
  }
}

/** True if the schema of the parameter at a position accepts null. */
function acceptsNull(validateParams: Validator, position: number): boolean {
  const sent = Array.from({ length: position + 1 }, (_, at) => (at === position ? null : undefined))
  return !validateParams(sent).some(({ path }) => path === `/${position}`)
}
