"""
Inspects files from untrusted senders. It runs in a separate process with little memory, little time and no access to
anything else; `control.demand.assets.inspection` starts it.
"""
