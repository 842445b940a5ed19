{{sql}}

-- down
