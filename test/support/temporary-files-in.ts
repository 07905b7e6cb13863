/** Uses this folder for temporary files while `work` runs. One call at a time. */
export async function temporaryFilesIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return await work()
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}
