-- The configuration of Neovim for record.ts. Neovim 0.7 has no vim.lsp.config; docs/editors.md configures newer versions.
vim.opt.number = true
vim.opt.signcolumn = 'yes'
vim.opt.swapfile = false
vim.opt.completeopt = { 'menuone', 'noinsert' }
vim.opt.termguicolors = true
vim.opt.wrap = false
vim.opt.hlsearch = false
vim.cmd([[
  autocmd Syntax * highlight clear htmlError
  highlight SignColumn guibg=NONE
  highlight Pmenu guibg=#313244 guifg=#cdd6f4
  highlight PmenuSel guibg=#585b70 guifg=#ffffff
]])
vim.diagnostic.config({ virtual_text = { prefix = '●' } })
vim.cmd('autocmd BufRead,BufNewFile *.ssp set filetype=ssp syntax=html')
vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'ssp', 'typescript' },
  callback = function(args)
    vim.g.fw = vim.g.fw or vim.lsp.start_client({
      name = 'fw',
      cmd = { 'node', 'node_modules/fwjs/dist/tools/cli/main.js', 'lsp' },
      root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(args.buf, vim.g.fw)
    vim.bo[args.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
    vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = args.buf })
  end,
})
