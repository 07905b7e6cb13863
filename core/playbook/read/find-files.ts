import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The paths of the playbooks in a folder and the folders in it, sorted: `*.yaml` and `*.yml`, without tests. What begins with a
 * dot is left out, such as the copies that Kubernetes keeps beside the files of a volume. Links to files count as files, also
 * dangling ones, which nobody can read; links to folders are not followed, and what is neither (a pipe, a device) is no playbook.
 *
 * @throws the error of the file system, e.g. ENOENT
 */
export async function findPlaybookFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.'))
      .map(async (entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return findPlaybookFiles(path)
        return isPlaybookName(entry.name) && (await mayBeFile(path)) ? [path] : []
      }),
  )
  return found.flat().toSorted()
}

const isPlaybookName = (name: string): boolean => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name)

/** Unless it is known to be something else. */
async function mayBeFile(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined)
  return info === undefined || info.isFile()
}
