/**
 * Whether Windows treats a file of this name as a device, with or without an extension: `nul`, `con.yaml`,
 * `COM1.tar.gz`. Data written there is lost, so such names are refused on every system.
 */
export function isReservedOnWindows(fileName: string): boolean {
  const [base = ''] = fileName.split('.', 1)
  return /^(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$)$/i.test(base.trim())
}
