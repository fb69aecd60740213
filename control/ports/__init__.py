"""Interfaces of the control plane to outside services. Each port states what happens when its service fails."""
