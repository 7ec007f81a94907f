import type { JsonValue } from '@concordat/rpc'
import {
  answered,
  codeBecomes,
  codeOf,
  type Fault,
  isList,
  isObject,
  onAnswer,
  onError,
  refused,
} from 'concordat/conformance'
import { bareMethods, selectorMethods } from './methods.js'

/** Faults in the handling of parameters (specification 2 and 4). */
export const paramsFaults: readonly Fault[] = [
  {
    name: 'invalid-params-have-another-code',
    rule: 'defaults.schema',
    description: 'Invalid parameters are answered with -32600.',
    begin: () => codeBecomes(-32602, -32600),
  },
  {
    name: 'missing-param-accepted',
    rule: 'defaults.missing-param',
    description: 'An absent required parameter is treated as null, and nothing is found.',
    begin: () => ({
      answer: (answer, { params }) =>
        codeOf(answer) === -32602 && (params === undefined || (isList(params) && params.length === 0))
          ? answered(answer, null)
          : answer,
    }),
  },
  {
    name: 'extra-params-ignored',
    rule: 'defaults.too-many-params',
    description: 'Parameters of a method that has none are ignored.',
    begin: () => ({
      call: (call) =>
        bareMethods.includes(call.method) && isList(call.params) && call.params.length > 0
          ? { ...call, params: [] }
          : call,
    }),
  },
  {
    name: 'null-param-refused',
    rule: 'defaults.null-param',
    description: 'Null for an optional parameter is refused.',
    begin: () => ({
      answer: (answer, { params }) =>
        isList(params) && params.length > 1 && params.at(-1) === null
          ? refused(answer, -32602, 'invalid type: null')
          : answer,
    }),
  },
  {
    name: 'leading-zeros-accepted',
    rule: 'defaults.hex-input-leading-zeros',
    description: 'A block number with leading zeros is accepted.',
    begin: () => ({
      call: (call) =>
        call.method in selectorMethods && isList(call.params) && call.params.some(hasLeadingZero)
          ? {
              ...call,
              params: call.params.map((param) =>
                hasLeadingZero(param) ? `0x${BigInt(param).toString(16)}` : param,
              ),
            }
          : call,
    }),
  },
  {
    name: 'upper-case-refused',
    rule: 'defaults.hex-input-case',
    description: 'Hexadecimal parameters in upper case are refused.',
    begin: () => ({
      answer: (answer, { params }) =>
        isList(params) && params.some((param) => typeof param === 'string' && /^0x[0-9a-f]*[A-F]/.test(param))
          ? refused(answer, -32602, 'invalid checksum')
          : answer,
    }),
  },
  {
    name: 'number-for-a-quantity-accepted',
    rule: 'defaults.no-other-types',
    description: 'A JSON number is accepted instead of a hexadecimal string.',
    begin: () => ({
      call: (call) =>
        isList(call.params) && call.params.some(isWhole)
          ? {
              ...call,
              params: call.params.map((param) => (isWhole(param) ? `0x${param.toString(16)}` : param)),
            }
          : call,
    }),
  },
  {
    name: 'problems-are-a-text',
    rule: 'defaults.problems-listed',
    description: 'The data of -32602 is a string instead of a list.',
    begin: () =>
      onError((error, answer) =>
        error['code'] === -32602 ? { ...answer, error: { ...error, data: 'invalid argument 0' } } : answer,
      ),
  },
  {
    name: 'problems-not-in-the-message',
    rule: 'defaults.problems-listed',
    description: 'The message of -32602 contains no problem.',
    begin: () =>
      onError((error, answer) =>
        error['code'] === -32602 ? { ...answer, error: { ...error, message: 'Invalid params' } } : answer,
      ),
  },
  {
    name: 'hash-of-any-size-finds-nothing',
    rule: 'defaults.sizes',
    description: 'A hash or an address of another size is accepted and finds nothing.',
    begin: () => ({
      answer: (answer, { params }) =>
        codeOf(answer) === -32602 && isList(params) && /^0x[0-9a-f]{9,}$/i.test(String(params[0]))
          ? answered(answer, null)
          : answer,
    }),
  },
  {
    name: 'absent-block-refused',
    rule: 'defaults.filled-in',
    description: 'An estimate without a block is refused, as if its block were required.',
    begin: () =>
      onAnswer(['eth_estimateGas'], (answer, { params }) =>
        params.length === 1 ? refused(answer, -32602, 'missing value for required argument 1') : answer,
      ),
  },
  {
    name: 'upper-case-filter-matches-nothing',
    rule: 'defaults.hex-input-case',
    description: 'A filter in upper case is compared with lower-case values and matches no log.',
    begin: () =>
      onAnswer(['eth_getLogs'], (answer, { params: [filter] }) =>
        isObject(filter) && /"0x[0-9a-f]*[A-F]/.test(JSON.stringify(filter)) && isList(answer.result)
          ? answered(answer, [])
          : answer,
      ),
  },
]

const hasLeadingZero = (param: JsonValue): param is string =>
  typeof param === 'string' && /^0x0[0-9a-f]{1,15}$/i.test(param)

const isWhole = (param: JsonValue): param is number =>
  typeof param === 'number' && Number.isSafeInteger(param) && param >= 0
