/** Service settings of leases and counts, which callers do not observe. */
export interface QuotaTuning {
  readonly leaseRequests: number
  readonly leaseRequestsMost: number
  readonly leaseSeconds: number
  readonly leaseRefillPercent: number
  readonly leaseIdleSeconds: number
  readonly leaseIdleAloneSeconds: number
  readonly leaseAskAgainMilliseconds: number
  readonly usedFlushSeconds: number
  readonly usedFlushAloneSeconds: number
}
