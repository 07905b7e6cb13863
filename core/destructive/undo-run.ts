import type { RunRequest } from '../engine/turns/queue-run.ts'
import { ConflictError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { generateTrial } from '../investigation/generate-trial.ts'
import type { PlaybookLibrary } from '../investigation/playbook-library.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { Containment } from './containment.ts'

export interface UndoServices {
  readonly stores: Pick<Stores, 'containments' | 'organizations'>
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly playbooks: Pick<PlaybookLibrary, 'keep'>
}

/**
 * The run that undoes a containment: a generated playbook that calls the undoing skill once, in the case of the containment.
 *
 * @throws ConflictError `containment_without_undo`
 */
export async function undoingRun(found: Containment, services: UndoServices): Promise<RunRequest> {
  const { organizationUuid, caseId, id } = found
  const [organization] = await services.stores.organizations.list([organizationUuid])
  if (organization === undefined) throw withoutUndo('its organization is gone')
  return {
    ...(await undoingCall(found, services)),
    organization,
    caseId: caseId ?? undefined,
    undoes: id,
  }
}

/** The playbook of the call that undoes it, with its inputs. */
async function undoingCall(
  { id, undoneBy, connection, organizationUuid }: Containment,
  { stores, catalogue, playbooks }: UndoServices,
): Promise<Pick<RunRequest, 'playbook' | 'inputs'>> {
  const input = await stores.containments.undoInput(id)
  const skill = catalogue.skill(undoneBy)
  if (skill === undefined) throw withoutUndo(`${undoneBy} is not installed`)
  if (input === undefined) throw withoutUndo(`the input of ${undoneBy} is unknown`)
  const { source, inputs } = generateTrial(skill, connection ?? undefined, input, { undoes: true })
  try {
    return { playbook: await playbooks.keep(source, { origin: 'trial', organizationUuid }), inputs }
  } catch (error) {
    if (!(error instanceof PlaybookError)) throw error
    const problem = error.problems.find(({ severity }) => severity === 'error')
    throw withoutUndo(problem?.message ?? `${undoneBy} cannot be called`, problem?.hint)
  }
}

const withoutUndo = (why: string, hint = 'undo it in the other system'): ConflictError =>
  new ConflictError('containment_without_undo', why, { hint })
