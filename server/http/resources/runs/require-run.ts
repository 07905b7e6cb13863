import type { Run } from '../../../../core/domain/run.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'

/** Throws RequestError `run_not_found`. */
export async function requireRun(
  scope: Scope,
  uuid: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<Run> {
  const run = await stores.runs.find(scope, uuid)
  if (run !== undefined) return run
  throw new RequestError('run_not_found', undefined, { hint: 'GET runs lists those this API key may see' })
}
