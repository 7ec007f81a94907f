export { createNodeFetch, type NodeFetchOptions } from '@concordat/client/node'
