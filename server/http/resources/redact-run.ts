import type { JournalEntry, Run } from '../../../core/domain/run.ts'
import { sensitiveTexts, textsIn } from '../../../core/engine/sensitive.ts'
import type { Playbook } from '../../../core/playbook/index.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { Redactor } from '../../../core/skill/index.ts'
import type { Services } from '../route.ts'

/** Takes the values out of a run that its playbook and its skills declare to be sensitive, wherever they went from there. */
export async function redactionOf(
  run: Run,
  entries: readonly JournalEntry[],
  { catalogue, playbooks }: Pick<Services, 'catalogue' | 'playbooks'>,
): Promise<Redactor> {
  const texts = sensitiveInputs(run, await playbookOf(run, playbooks))
  for (const { kind, input, output } of entries) {
    const skill = catalogue.skill(kind)?.skill
    if (skill === undefined) continue
    texts.push(...sensitiveTexts(skill.input as JsonSchema, input))
    texts.push(...sensitiveTexts(skill.output as JsonSchema, output))
  }
  return new Redactor([...new Set(texts)])
}

/** Where nobody can say what was declared, every input counts as sensitive. */
function sensitiveInputs({ inputs }: Run, playbook: Playbook | undefined): string[] {
  const names = Object.keys(inputs).filter((name) => playbook?.inputs.get(name)?.sensitive !== false)
  return names.flatMap((name) => textsIn(inputs[name]))
}

async function playbookOf(run: Run, playbooks: Services['playbooks']): Promise<Playbook | undefined> {
  if (Object.keys(run.inputs).length === 0) return undefined
  try {
    return await playbooks.byHash(run.playbookHash)
  } catch {
    return undefined
  }
}
