import { namePattern, nameRule, shadowMode } from '../language/constants.ts'
import { suggest } from '../language/did-you-mean.ts'
import { haveSameOwner, ownerText } from '../check/owner.ts'
import type { Shadow } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { readChoice, readWord, type Fields } from '../template/fields.ts'
import type { Entry } from '../yaml/document.ts'
import type { Sliced } from '../../common/sliced.ts'

/** Reads `mode` and `beside`. Undefined: the playbook is live. */
export function* readShadow(
  context: ReadContext,
  fields: Fields,
  on: Entry | undefined,
): Sliced<Shadow | undefined> {
  const { problems } = context
  const mode = fields.get('mode')
  const beside = fields.get('beside')
  if (mode === undefined) {
    if (beside) problems.add('E112', '`beside` needs `mode: shadow`', beside.key, 'add mode: shadow')
    return undefined
  }
  if (readChoice(problems, mode, [shadowMode]) === undefined) return undefined
  if (on && !context.hasAlert) {
    const message = 'a shadow is judged on alerts, and no alert starts this playbook'
    problems.add(
      'E350',
      message,
      on.key,
      'add `alert` to its `on`; schedules and other triggers are not judged',
    )
  }
  return { beside: beside && (yield* readBeside(context, beside)) }
}

function* readBeside(context: ReadContext, entry: Entry): Sliced<string | undefined> {
  const { problems, playbooks, callers } = context
  const { value } = entry
  const name = readWord(problems, entry, namePattern, nameRule)
  if (name === undefined) return undefined
  if (name === callers.at(-1)) {
    const hint = 'give the shadow another name, such as the name of the live playbook with -shadow'
    problems.add('E350', 'a shadow cannot run beside itself', value, hint)
    return name
  }
  // Under way already: the playbook that names this one finds out.
  if (callers.includes(name)) return name
  const live = playbooks && (yield* playbooks.findInSlices(name, callers))
  if (playbooks && live === undefined)
    problems.add('E316', `unknown playbook ${quote(name)}`, value, () =>
      suggest(
        name,
        playbooks.names.filter((each) => each !== callers.at(-1)),
      ),
    )
  if (live?.playbook && !haveSameOwner(live.playbook, context)) {
    const message = `${quote(name)} belongs to ${ownerText(live.playbook)}, and this one to ${ownerText(context)}`
    const hint = 'leave out `beside`: the shadow is then judged on all alerts that match its own `on.alert`'
    problems.add('E325', message, value, hint)
  }
  if (live?.playbook?.shadow)
    problems.add('E350', `${quote(name)} runs in shadow itself`, value, 'name a live playbook')
  return name
}
