import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The sorted paths of the playbooks in a folder and its subfolders: `*.yaml` and `*.yml`, without tests.
 * Skips names that start with a dot, such as the copies that Kubernetes keeps beside the files of a volume.
 * Links to files are included, also dangling ones; links to folders and special files are not.
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

/** True also if that is unknown. */
async function mayBeFile(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined)
  return info === undefined || info.isFile()
}
