/** The two networks of the service (specification 1). */
export type Network = 'test' | 'main'
