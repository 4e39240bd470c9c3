// Zod, with its messages in English only.
export * from 'zod/v4/classic/schemas.js';
export * from 'zod/v4/classic/checks.js';
export * from 'zod/v4/classic/errors.js';
export * from 'zod/v4/classic/parse.js';
export { config, flattenError, formatError, prettifyError, regexes, toJSONSchema, treeifyError } from 'zod/v4/core/index.js';
export * as coerce from 'zod/v4/classic/coerce.js';
export * as iso from 'zod/v4/classic/iso.js';
import { config } from 'zod/v4/core/index.js';
import en from 'zod/v4/locales/en.js';
import * as all from './schema.mjs';

config(en());
export { all as z };
