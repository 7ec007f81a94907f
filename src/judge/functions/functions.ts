import { addressOf, contractAddress } from './accounts.js'
import { add, multiply, numbersDownFrom, quantity, secondsOf, subtract } from './arithmetic.js'
import { keccak256, privateKeyOf } from './hashing.js'
import { concat, lengthOf, numbered, pluck, repeat, upperCase, where } from './lists.js'
import { bareLog, bloomWith, firstOfLaterTransaction, inOrder } from './logs.js'
import { hashAndSenderOf, signTransaction } from './sign-transaction.js'
import { gasBefore, lastOfSublists, sumOnce } from './sublists.js'

/** The functions by name. */
export const functions = {
  add,
  addressOf,
  bareLog,
  bloomWith,
  concat,
  contractAddress,
  firstOfLaterTransaction,
  gasBefore,
  hashAndSenderOf,
  inOrder,
  keccak256,
  lastOfSublists,
  lengthOf,
  multiply,
  numbered,
  numbersDownFrom,
  pluck,
  privateKeyOf,
  quantity,
  repeat,
  secondsOf,
  signTransaction,
  subtract,
  sumOnce,
  upperCase,
  where,
} as const

/** Name of a function. */
export type FunctionName = keyof typeof functions
