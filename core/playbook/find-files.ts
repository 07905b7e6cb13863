import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The paths of the playbooks in a folder and the folders in it, sorted: `*.yaml` and `*.yml`, without tests. What begins with a
 * dot is left out, such as the copies that Kubernetes keeps beside the files of a volume.
 *
 * @throws the error of the file system, e.g. ENOENT
 */
export async function findPlaybookFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name) && !isHidden(name))
    .toSorted()
    .map((name) => join(folder, name))
}

const isHidden = (name: string): boolean => /(^|[\\/])\./.test(name)
