import type { Run } from '../../api/types.ts'

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => ended.has(status)
