import { readConfig } from '../../../server/config/config.ts'
import { rotateKey } from '../../../server/store/rotate-key.ts'
import { somebody } from '../../support/somebody.ts'

/** Rotates the master key of a data directory. */
rotateKey(readConfig({ TOCSIN_DATA_DIR: process.argv[2] }), somebody())
