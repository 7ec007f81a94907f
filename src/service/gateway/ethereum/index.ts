export { fromBytes, isHash, isHex, isList, isObject, isQuantity, toBytes, toQuantity } from './hex.js'
export { type RlpMember, rlpList } from './rlp-list.js'
