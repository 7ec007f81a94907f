export { createNodeFetch, type NodeFetchOptions } from './create-node-fetch.js'
