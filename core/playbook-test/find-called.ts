import { parsePlaybook, type Playbook } from '../playbook/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { CalledByName } from './playbook-test.ts'

/**
 * The playbooks that a playbook calls, and that those call, by name. `missing` is the first one that there is not, or that has
 * mistakes.
 *
 * @param load the source of a playbook by its name
 */
export function findCalled(
  playbook: Playbook,
  catalogue: Catalogue,
  load: (name: string) => string | Uint8Array | undefined,
): { readonly called: CalledByName; readonly missing: string | undefined } {
  const called = new Map<string, Playbook>()
  const open = [...playbook.calls]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (called.has(name)) continue
    const source = load(name)
    const found = source === undefined ? undefined : parsePlaybook(source, { catalogue }).playbook
    if (found === undefined) return { called, missing: name }
    called.set(name, found)
    open.push(...found.calls)
  }
  return { called, missing: undefined }
}
