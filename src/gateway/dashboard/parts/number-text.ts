/** 25000 as `25,000`. */
export const numberText = (value: number): string => value.toLocaleString('en-US')
